"""The questions that are answered, a folder each, under the name of the command that asks.

`model.py` computes: arrays and trials in, a frozen result out. `measure.py` has measured what that takes.
`document.py` (JSON), `text.py` (terminals) and `page.py` with its template (HTML) tell the result.
"""
