// The agent's to-do list.

import type { RowTodo } from "../../wire/rows";
import { Icon } from "../buttons";

const ICONS = { pending: "circle-large-outline", in_progress: "arrow-right", completed: "pass-filled", cancelled: "circle-slash" };
const WORDS = { pending: "to do", in_progress: "in progress", completed: "done", cancelled: "given up" };

export function TodoList({ todos }: { todos: readonly RowTodo[] }) {
  return (
    <ul class="todos" aria-label="To do">
      {todos.map((todo, at) => (
        <li key={at} class={todo.status}>
          <Icon name={ICONS[todo.status]} />
          <span class="todo-text">{todo.text}</span>
          <span class="hidden">{WORDS[todo.status]}</span>
        </li>
      ))}
    </ul>
  );
}
