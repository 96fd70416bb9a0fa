package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"unicode"
	"unicode/utf8"
)

// benchmarkNames returns the benchmarks that test files declare, as far as they can be read, each once.
func benchmarkNames(dir string, files []string) []string {
	var names []string
	seen := map[string]bool{}
	for _, file := range files {
		// A file with a syntax error is read up to it.
		tree, _ := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if tree == nil {
			continue
		}
		for _, declaration := range tree.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && isBenchmark(function) && !seen[function.Name.Name] {
				seen[function.Name.Name] = true
				names = append(names, function.Name.Name)
			}
		}
	}
	return names
}

// isBenchmark knows what `go test` takes for one: a function of the right name with one parameter *B.
func isBenchmark(function *ast.FuncDecl) bool {
	name, prefix := function.Name.Name, "Benchmark"
	if function.Recv != nil || len(name) < len(prefix) || name[:len(prefix)] != prefix {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(name[len(prefix):]); len(name) > len(prefix) && unicode.IsLower(first) {
		return false
	}
	parameters := function.Type.Params.List
	if len(parameters) != 1 || len(parameters[0].Names) > 1 || function.Type.Results != nil {
		return false
	}
	pointer, ok := parameters[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch kind := pointer.X.(type) {
	case *ast.SelectorExpr:
		return kind.Sel.Name == "B"
	case *ast.Ident:
		return kind.Name == "B"
	}
	return false
}
