package main

import (
	"bufio"
	gobuild "go/build"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Behind tells of benchmarks that go leaves out until it is told a build tag.
type Behind struct {
	Record  string   `json:"record"`
	Package string   `json:"package"`
	Tags    []string `json:"tags"`
	Names   []string `json:"names"`
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
