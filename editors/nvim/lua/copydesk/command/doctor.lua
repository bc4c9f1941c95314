--- `doctor`: what `copydesk doctor` finds.

return {
  summary = "doctor: look for what is wrong",
  run = function()
    local output, problem = require("copydesk.program").output({ "doctor" })
    if not output then
      return require("copydesk.message").error(problem)
    end
    require("copydesk.scratch").show("doctor", vim.split(vim.trim(output), "\n"))
  end,
}
