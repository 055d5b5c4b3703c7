import type { IncomingMessage } from '#server/drivers/hosting/gateway/socket-http.ts'
import { ControlError } from '#demo/sample-instance/contract/control-error.ts'

/** Yields the body. Throws a ControlError 413 at the first byte beyond `maxBytes`. */
export async function* readChunks(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  const createTooLarge = () => new ControlError(413, `the body is larger than ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw createTooLarge()
  let size = 0
  // The rest of a refused body is read and dropped, so that the caller receives the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw createTooLarge()
    yield chunk
  }
}

/** Throws a ControlError 400 if the bytes are not UTF-8. Passes them on otherwise. */
export async function* requireUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk: Buffer | undefined) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (cause) {
      throw new ControlError(400, 'the body is not UTF-8', { cause })
    }
  }
  for await (const chunk of chunks) {
    decode(chunk)
    yield chunk
  }
  decode(undefined)
}

export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of requireUtf8(readChunks(request, maxBytes))) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch (cause) {
    throw new ControlError(400, 'the body is not JSON', { cause })
  }
}
