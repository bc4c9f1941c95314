// Reads one stream with a vendor's own SDK and prints the CPU time in milliseconds.
// Usage: node peer.mjs WIRE BASE_URL MODULES, where MODULES is the folder that holds node_modules.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [wire, baseURL, modules] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/package.json`));
const messages = [{ role: "user", content: "Hello" }];

const readers = {
  async anthropic() {
    const { default: Anthropic } = require("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey: "k", baseURL: baseURL.replace(/\/v1$/, "") });
    return async () => {
      let bytes = 0;
      const stream = await client.messages.create({ model: "m-1", max_tokens: 9, messages, stream: true });
      for await (const event of stream) if (event.type === "content_block_delta") bytes += event.delta.text.length;
      return bytes;
    };
  },
  async "openai-chat"() {
    const { default: OpenAI } = require("openai");
    const client = new OpenAI({ apiKey: "k", baseURL });
    return async () => {
      let bytes = 0;
      const stream = await client.chat.completions.create({ model: "m-1", messages, stream: true });
      for await (const chunk of stream) bytes += (chunk.choices[0]?.delta?.content ?? "").length;
      return bytes;
    };
  },
  async "openai-responses"() {
    const { default: OpenAI } = require("openai");
    const client = new OpenAI({ apiKey: "k", baseURL });
    return async () => {
      let bytes = 0;
      const stream = await client.responses.create({ model: "m-1", input: "Hello", stream: true });
      for await (const event of stream) if (event.type === "response.output_text.delta") bytes += event.delta.length;
      return bytes;
    };
  },
  async gemini() {
    const { GoogleGenAI } = require("@google/genai");
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: baseURL.replace(/\/v1beta$/, "") } });
    return async () => {
      let bytes = 0;
      const stream = await client.models.generateContentStream({ model: "m-1", contents: "Hello" });
      for await (const chunk of stream) {
        for (const part of chunk.candidates?.[0]?.content?.parts ?? []) bytes += (part.text ?? "").length;
      }
      return bytes;
    };
  },
};

// Loading the SDK does not count.
const read = await readers[wire]();
const before = process.cpuUsage();
const bytes = await read();
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ bytes, milliseconds: (user + system) / 1000 }));
