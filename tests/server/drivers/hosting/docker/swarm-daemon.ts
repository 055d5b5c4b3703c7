/** A daemon with the answers of Docker 20.10 that were recorded for the calls of the owner check, at a Unix socket. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

interface ConfigSpec {
  Name: string
  Labels: Record<string, string>
  Data: string
}

const manager = { LocalNodeState: 'active', ControlAvailable: true, Error: '' }

export interface SwarmDaemon {
  socketPath: string
  /** The field Swarm of `GET /info`. */
  swarm: Record<string, unknown>
  /** Further fields of `GET /info`. */
  engine: { ServerVersion: string; SecurityOptions: string[] }
  configs: Map<string, ConfigSpec>
  close(): Promise<void>
}

/** The daemon listens at `socketPath`, if one is given. */
export async function startSwarmDaemon(socketPath?: string): Promise<SwarmDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'swarm-'))
  const daemon: SwarmDaemon = {
    socketPath: socketPath ?? join(folder, 'docker.sock'),
    swarm: manager,
    engine: { ServerVersion: '20.10.24+dfsg1', SecurityOptions: ['name=seccomp,profile=default'] },
    configs: new Map(),
    async close() {
      const closing = once(server.close(), 'close')
      server.closeAllConnections()
      await closing
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const server = createServer((request, response) => void respond(request, response))
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, collection = '', name = ''] = new URL(request.url ?? '', 'http://docker').pathname.split('/')
    if (collection === 'info') return sendJson(response, 200, { ...daemon.engine, Swarm: daemon.swarm })
    if (collection === 'configs' && name === 'create') {
      const spec = JSON.parse(await text(request)) as ConfigSpec
      const error = `rpc error: code = AlreadyExists desc = config ${spec.Name} already exists`
      if (daemon.configs.has(spec.Name)) return sendJson(response, 409, { message: error })
      daemon.configs.set(spec.Name, spec)
      return sendJson(response, 201, { ID: 'q63yypfgvuke5dzvy008ffom1' })
    }
    const spec = daemon.configs.get(name)
    if (!spec) return sendJson(response, 404, { message: `config ${name} not found` })
    return sendJson(response, 200, { ID: 'q63yypfgvuke5dzvy008ffom1', Version: { Index: 270 }, Spec: spec })
  }
  await once(server.listen(daemon.socketPath), 'listening')
  return daemon
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
