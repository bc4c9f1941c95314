// The script of a page: shows the chat and connects to the extension host.
//
// Contract: the page keeps nothing that the host does not know, except where it is scrolled to and which keys are pressed. Every element
// is made from text by Preact; nothing is ever parsed as HTML.

import { render } from "preact";
import "./styles/main.css";
import { Chat } from "./chat";
import { connect } from "./connection";

const root = document.getElementById("chat");
if (root) {
  render(<Chat />, root);
  connect();
}
