--- `turns`: what each turn of the session changed, with undo and redo.

return {
  summary = "turns: what each turn changed, with undo and redo",
  run = function()
    require("copydesk.turns").open()
  end,
}
