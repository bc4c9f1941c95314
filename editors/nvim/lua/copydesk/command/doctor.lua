--- `doctor`: shows the report of `copydesk doctor`.

return {
  summary = "doctor: check the installation",
  run = function()
    local output, problem = require("copydesk.program").output({ "doctor" })
    if not output then
      return require("copydesk.message").error(problem)
    end
    require("copydesk.scratch").show("doctor", vim.split(vim.trim(output), "\n"))
  end,
}
