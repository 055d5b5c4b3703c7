/**
 * Stream that pg uses as its socket to the engine's thread. A message between threads costs more than a small statement, so waiting writes
 * are joined into one message.
 */
import { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

type WriteCallback = (error?: Error | null) => void

export class PortStream extends Duplex {
  readonly #port: MessagePort

  constructor(port: MessagePort) {
    super({ decodeStrings: true })
    this.#port = port
    port.on('message', (bytes: Uint8Array) => this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
    port.on('close', () => this.destroy())
  }

  /** Does nothing but report success, because the thread is already connected. */
  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#port.ref()
    return this
  }

  unref(): this {
    this.#port.unref()
    return this
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: WriteCallback): void {
    this.#send(chunk)
    callback()
  }

  override _writev(chunks: { chunk: Buffer }[], callback: WriteCallback): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    callback()
  }

  override _read(): void {}

  override _final(callback: WriteCallback): void {
    callback()
    // The driver waits for the other side to close the connection after its Terminate message.
    this.destroy()
  }

  override _destroy(error: Error | null, callback: WriteCallback): void {
    this.#port.close()
    callback(error)
  }

  // Copied, not transferred, because the driver's buffers belong to its pool.
  #send(bytes: Buffer): void {
    this.#port.postMessage(new Uint8Array(bytes))
  }
}
