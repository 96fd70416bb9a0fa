package main

import (
	"bufio"
	gobuild "go/build"
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Behind tells of benchmarks that go leaves out until it is told a build tag, or is started in a folder.
type Behind struct {
	Record  string   `json:"record"`
	Package string   `json:"package"`
	Folder  string   `json:"folder"`
	Tags    []string `json:"tags"`
	Names   []string `json:"names"`
}

// skipped returns the folders of a module that hold test files and that `./...` skips since nothing there is
// compiled, as go takes them.
func (plan *Plan) skipped(module Module, all []listed) []string {
	known := map[string]bool{}
	for _, one := range all {
		known[one.Dir] = true
	}
	root, _ := filepath.EvalSymlinks(filepath.Join(plan.Root, module.Dir))
	var folders []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if _, none := os.Stat(filepath.Join(path, "go.mod")); path != root && (none == nil || isHidden(entry.Name())) {
			return filepath.SkipDir
		}
		if tests, _ := filepath.Glob(filepath.Join(path, "*_test.go")); len(tests) > 0 && !known[path] {
			folder, _ := filepath.Rel(root, path)
			folders = append(folders, "./"+filepath.ToSlash(folder))
		}
		return nil
	})
	return folders
}

// isHidden tells whether go looks at no folder of this name.
func isHidden(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || name == "testdata" || name == "vendor"
}

// behindTags returns the benchmarks of a package that this machine would compile with further build tags, and
// that go lists with none. What is for another system or processor, or for no build at all, is not among them.
func (plan *Plan) behindTags(one listed, compiled []string) []Behind {
	var left []Behind
	known := slices.Clone(compiled)
	for _, file := range one.IgnoredGoFiles {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		tags := plan.missingTags(one.Dir, file)
		names := slices.DeleteFunc(benchmarkNames(one.Dir, []string{file}), func(name string) bool {
			return slices.Contains(known, name)
		})
		if len(tags) > 0 && len(names) > 0 {
			known = append(known, names...)
			left = append(left, Behind{Record: "behind", Package: one.ImportPath, Tags: tags, Names: names})
		}
	}
	return left
}

// missingTags returns the first tags that make go compile a file here: one of those that it names, or all.
func (plan *Plan) missingTags(dir, file string) []string {
	var own []string
	for _, tag := range tagsOf(filepath.Join(dir, file)) {
		if tag != "ignore" && !slices.Contains(plan.Platforms, tag) && !strings.HasPrefix(tag, "go1.") {
			own = append(own, tag)
		}
	}
	choices := [][]string{own}
	for index := range own {
		choices = slices.Insert(choices, index, own[index:index+1])
	}
	for _, tags := range choices {
		context := gobuild.Default
		context.BuildTags = append(slices.Clone(plan.Tags), tags...)
		if matches, err := context.MatchFile(dir, file); err == nil && matches && len(tags) > 0 {
			return tags
		}
	}
	return nil
}

// tagsOf returns the words of a file's build constraints.
func tagsOf(path string) []string {
	var tags []string
	source, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer source.Close()
	for lines := bufio.NewScanner(source); lines.Scan() && !strings.HasPrefix(lines.Text(), "package "); {
		expression, err := constraint.Parse(strings.TrimSpace(lines.Text()))
		if err != nil {
			continue
		}
		// Both sides of every operator are asked.
		expression.Eval(func(tag string) bool {
			tags = append(tags, tag)
			return true
		})
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
