/**
 * How a stream is sent. A file that fails on its way must never look complete: its connection is destroyed, so that a chunked
 * response lacks its last chunk and a browser reports a failed download.
 */
import type { FastifyReply } from 'fastify'
import { type Piece, PieceStream } from '#server/http/piece-stream.ts'

interface StreamSource {
  /** Runs until the pieces can be read; it may throw. */
  open: () => Promise<AsyncIterable<Piece>>
  /** Called once: the response has ended in whatever way, and no work for it is left. */
  release: () => void
  maxWaitMs: number
}

/** Throws what `open` and the first piece throw: nothing has been sent by then. */
export async function sendStream(
  reply: FastifyReply,
  { open, release, maxWaitMs }: StreamSource,
): Promise<FastifyReply> {
  const stream = await openStream(open, maxWaitMs).catch((error: unknown) => {
    release()
    throw error
  })
  const isClosed = new Promise((closed) => stream.once('close', closed))
  const isSent = responseEnd(reply).then(() => stream.destroy())
  void Promise.all([isClosed, isSent]).then(release)
  stream.once('error', (error) => {
    if (hasLeft(reply)) return
    reply.log.error({ err: error, route: reply.request.routeOptions.url ?? null }, 'a response was cut off')
    resetOldClient(reply)
  })
  return reply.send(stream)
}

const openStream = async (open: () => Promise<AsyncIterable<Piece>>, maxWaitMs: number): Promise<PieceStream> =>
  PieceStream.open(await open(), maxWaitMs)

/** Of a response that waits behind another one on its connection only the socket tells that the client has left. */
function responseEnd({ raw, request }: FastifyReply): Promise<void> {
  const { socket } = request.raw
  return new Promise((ended) => {
    const end = () => {
      raw.off('finish', end).off('close', end)
      socket.off('close', end)
      ended()
    }
    if (raw.destroyed || socket.destroyed) return ended()
    raw.on('finish', end).on('close', end)
    socket.on('close', end)
  })
}

const hasLeft = ({ request }: FastifyReply) => request.raw.socket.destroyed

/** HTTP/1.0 knows no chunks: there the end of the connection is the end of the file, unless it is a reset. Proxies still speak it. */
function resetOldClient({ raw, request }: FastifyReply): void {
  if (raw.headersSent && request.raw.httpVersionMinor === 0) request.raw.socket.resetAndDestroy()
}
