--- `trust`: whether the user trusts the folder of the session.

return {
  summary = "trust: choose whether you trust this folder",
  run = function()
    require("copydesk.session").ensure(function(problem, view)
      if not view then
        return require("copydesk.message").error(problem)
      elseif not view.trust then
        return require("copydesk.message").warn("the daemon is too old to know trust: `:Copydesk! restart`")
      end
      require("copydesk.await").run(function()
        require("copydesk.trust").choose(view)
      end)
    end)
  end,
}
