/** A file that fails half-way must not look complete: its connection is destroyed, so that the browser reports it. */
import type { FastifyReply } from 'fastify'
import { type StreamPiece, PieceStream } from '#server/http/piece-stream.ts'

interface StreamSource {
  open: () => Promise<AsyncIterable<StreamPiece>>
  /** Called once, when the response has ended in any way and no work is left. */
  release: () => void
  maxWaitMs: number
}

/** Rethrows errors of `open` and of the first piece; nothing was sent in that case. */
export async function sendStream(
  reply: FastifyReply,
  { open, release, maxWaitMs }: StreamSource,
): Promise<FastifyReply> {
  const stream = await openStream(open, maxWaitMs).catch((error: unknown) => {
    release()
    throw error
  })
  const closedPromise = new Promise((resolve) => stream.once('close', resolve))
  const sentPromise = waitForResponseEnd(reply).then(() => stream.destroy())
  void Promise.all([closedPromise, sentPromise]).then(release)
  stream.once('error', (error) => {
    if (hasLeft(reply)) return
    reply.log.error(
      { event: 'response_aborted', err: error, route: reply.request.routeOptions.url ?? null },
      'a streamed response was aborted',
    )
    resetOldClient(reply)
  })
  return reply.send(stream)
}

const openStream = async (open: () => Promise<AsyncIterable<StreamPiece>>, maxWaitMs: number): Promise<PieceStream> =>
  PieceStream.open(await open(), maxWaitMs)

/** A response that waits behind another one gets no event when the client leaves; only the socket does. */
function waitForResponseEnd({ raw, request }: FastifyReply): Promise<void> {
  const { socket } = request.raw
  return new Promise((resolve) => {
    const handleEnd = () => {
      raw.off('finish', handleEnd).off('close', handleEnd)
      socket.off('close', handleEnd)
      resolve()
    }
    if (raw.destroyed || socket.destroyed) return resolve()
    raw.on('finish', handleEnd).on('close', handleEnd)
    socket.on('close', handleEnd)
  })
}

const hasLeft = ({ request }: FastifyReply) => request.raw.socket.destroyed

/** In HTTP/1.0, which proxies use, the end of the connection ends the file. Only a reset shows the failure. */
function resetOldClient({ raw, request }: FastifyReply): void {
  if (raw.headersSent && request.raw.httpVersionMinor === 0) request.raw.socket.resetAndDestroy()
}
