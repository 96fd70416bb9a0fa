# The program and the toolchains of its three languages: make image. How it is used: docs/containers.md.
# The first stage alone audits Python subjects, in half the space: docker build --target python .
ARG BASE=debian:12-slim
FROM ${BASE} AS python
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        ca-certificates git python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
# Whoever the container runs as keeps copies, environments and what builds fetch here. Checkouts are others' as root
# sees them, and git would not read them.
RUN mkdir -m 1777 /cache && git config --system safe.directory '*'
ENV HOME=/cache ABS_AUDIT_CACHE=/cache/abs-audit LANG=C.UTF-8
WORKDIR /opt/abs-audit
COPY runtime.lock .
RUN python3 -m venv . && bin/pip install --no-cache-dir --quiet --require-hashes -r runtime.lock
COPY pyproject.toml README.md LICENSE sources/
COPY docs/abs-audit.1 sources/docs/
COPY abs_audit sources/abs_audit
COPY injectors sources/injectors
COPY tracers sources/tracers
RUN bin/pip install --no-cache-dir --quiet --no-deps --no-build-isolation ./sources
# Last, so that a subject's python3 is Debian's and not the program's own.
ENV PATH=$PATH:/opt/abs-audit/bin
WORKDIR /subject
ENTRYPOINT ["abs-audit"]

FROM python
# Debian's Go is older than many subjects; the wheel has the one that bootstrap takes.
RUN mkdir -p /usr/share/man/man1 && apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jdk-headless maven \
    && rm -rf /var/lib/apt/lists/*
COPY tools.lock /opt/abs-audit/
RUN /opt/abs-audit/bin/pip install --no-cache-dir --quiet --require-hashes -r /opt/abs-audit/tools.lock
