"""Self-contained pages: readable offline, on a phone, in print, and without JavaScript.

Note: the pictures are SVG drawn here and not Vega-Lite specifications. The bundle that draws those weighs
0.9 MB of a page's 2 MB, needs a script to run before anything is seen, and its marks cannot be styled for
dark mode and print by the page's own style sheet.
"""
