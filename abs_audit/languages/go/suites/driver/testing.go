package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// The testing package has to tell the probes when a run of a benchmark ends, and when its timer runs. The copy of
// it that test binaries are built with says so, and what a run took with its set-up, as a further metric of the
// benchmark; nothing else in it is changed, no line moves, and without probes nobody listens. Where it is told that
// one benchmark is meant, all others are executed once, and what they do is set-up to the probes.
var hooks = map[string]string{
	"doBench":    " defer absAuditTurn(b);",
	"StartTimer": " absAuditStart(b);",
	"StopTimer":  " defer absAuditTimer(false);",
	"ResetTimer": " absAuditReset(b);",
	"runN":       " absAuditBegin(b);",
	"run":        " if absAuditBeside(b) { return };",
}

const (
	// meant is the variable with the name of the only benchmark to measure.
	meant    = "ABS_PROBE_MEANT"
	hookFile = "zz_abs_audit_turn.go"
	hookText = `package testing

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// absAuditTurn tells everyone who has a flag of that name that a run of a benchmark has ended, and how many
// nanoseconds an invocation took in it.
func absAuditTurn(b *B) {
	absAuditLasted(b)
	once := 0.0
	if b.result.N > 0 {
		once = float64(b.result.T.Nanoseconds()) / float64(b.result.N)
	}
	flag.VisitAll(func(one *flag.Flag) {
		if strings.HasPrefix(one.Name, "abs-audit.turn.") {
			_ = one.Value.Set(strconv.FormatFloat(once, 'g', -1, 64))
		}
	})
}

// absAuditSince is when this package reset the timer of the run under way, which it does as the run begins.
var absAuditSince time.Time

// absAuditLasted prints with a result what the run took that gave it. That is more than what is timed: what comes
// before its loop may be made for each invocation, too.
func absAuditLasted(b *B) {
	// One that broke down has no result, and shall not seem to.
	if b.result.T > 0 && b.result.Extra != nil {
		b.result.Extra["abs-audit-ns"] = float64(time.Since(absAuditSince).Nanoseconds())
	}
}

type absAuditListener interface {
	Timer(running bool)
	Begin()
	Reset()
}

var (
	absAuditListeners []absAuditListener
	absAuditOnce      sync.Once
	// absAuditMeant is the only benchmark to measure where others are executed beside it; empty: all are meant.
	absAuditMeant = os.Getenv("` + meant + `")
	absAuditBegun bool
)

// absAuditBeside tells whether a benchmark is another than the one that is meant, and no whole of it.
func absAuditBeside(b *B) bool {
	return absAuditMeant != "" && b.level > 0 && !strings.HasPrefix(absAuditMeant+"/", b.name+"/")
}

// absAuditAll returns who wants to know what the timer does.
func absAuditAll() []absAuditListener {
	absAuditOnce.Do(func() {
		flag.VisitAll(func(one *flag.Flag) {
			if listener, is := one.Value.(absAuditListener); is && strings.HasPrefix(one.Name, "abs-audit.turn.") {
				absAuditListeners = append(absAuditListeners, listener)
			}
		})
	})
	return absAuditListeners
}

func absAuditStart(b *B) {
	if !absAuditBeside(b) {
		absAuditTimer(true)
	}
}

func absAuditTimer(running bool) {
	for _, one := range absAuditAll() {
		one.Timer(running)
	}
}

func absAuditBegin(b *B) {
	if absAuditBeside(b) {
		b.benchTime.n = 1
		absAuditReset(b)
		absAuditTimer(false)
		return
	}
	absAuditBegun = b.name == absAuditMeant
	absAuditSince = time.Time{}
	for _, one := range absAuditAll() {
		one.Begin()
	}
}

// absAuditReset forgets what was measured, but not of the one that is meant what comes behind it.
func absAuditReset(b *B) {
	if absAuditBegun && absAuditBeside(b) {
		return
	}
	if absAuditSince.IsZero() {
		absAuditSince = time.Now()
	}
	for _, one := range absAuditAll() {
		one.Reset()
	}
}
`
)

// overlaid writes that copy and returns the file that names it to go commands; empty where this toolchain's
// testing package is another than we know: then no turns are taken.
func (plan *Plan) overlaid(module Module) string {
	output, problem := plan.goCommand(filepath.Join(plan.Root, module.Dir), module, "env", "GOROOT")
	folder := filepath.Join(strings.TrimSpace(string(output)), "src", "testing")
	original := filepath.Join(folder, "benchmark.go")
	text, err := os.ReadFile(original)
	if problem != "" || err != nil {
		return ""
	}
	for name, hook := range hooks {
		at := bodyOf(text, name)
		if at == 0 {
			return ""
		}
		text = []byte(string(text[:at]) + hook + string(text[at:]))
	}
	changed := filepath.Join(plan.Binaries, "testing-benchmark.go")
	added := filepath.Join(plan.Binaries, "testing-turn.go")
	overlay := filepath.Join(plan.Binaries, "overlay.json")
	replaced := map[string]map[string]string{
		"Replace": {original: changed, filepath.Join(folder, hookFile): added},
	}
	if os.WriteFile(changed, text, 0o644) != nil ||
		os.WriteFile(added, []byte(hookText), 0o644) != nil || writeJSON(overlay, replaced) != nil {
		return ""
	}
	return overlay
}

// bodyOf returns where the body of a method of B begins, 0 where there is no such method.
func bodyOf(text []byte, name string) int {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, 0)
	if err != nil {
		return 0
	}
	for _, one := range parsed.Decls {
		function, is := one.(*ast.FuncDecl)
		if is && function.Name.Name == name && isMethodOfB(function) && function.Body != nil {
			return files.Position(function.Body.Lbrace).Offset + 1
		}
	}
	return 0
}

// isMethodOfB tells whether a function is written as we use it: func (b *B) name().
func isMethodOfB(function *ast.FuncDecl) bool {
	if function.Recv == nil || len(function.Recv.List) != 1 || len(function.Recv.List[0].Names) != 1 {
		return false
	}
	pointer, is := function.Recv.List[0].Type.(*ast.StarExpr)
	if !is || function.Recv.List[0].Names[0].Name != "b" {
		return false
	}
	receiver, is := pointer.X.(*ast.Ident)
	return is && receiver.Name == "B"
}
