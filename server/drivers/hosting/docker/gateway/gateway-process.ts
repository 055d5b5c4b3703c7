/**
 * Runs the gateway in a process of its own, so that the requests of services and the portal do not slow each other down. Gets its routes
 * from the portal, and ends when the portal ends.
 */
import '#server/config/private-files.ts'
import type {
  GatewayMessage,
  GatewayProcessSettings,
  PortalMessage,
  ServiceRoute,
} from '#server/drivers/hosting/docker/gateway/gateway-messages.ts'
import { type GatewayTarget, openGateway } from '#server/drivers/hosting/gateway/gateway.ts'

const settings = JSON.parse(process.argv[2] ?? '') as GatewayProcessSettings
const send = (message: GatewayMessage) => void process.send?.(message, undefined, undefined, () => undefined)

// A signal to the whole process group must not cut requests: the portal closes the gateway.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined)
process.on('disconnect', () => process.exit(0))

/** Null until the portal has sent the routes. Until then every service is displayed as starting. */
let targets: ReadonlyMap<string, GatewayTarget> | null = null
const startingTarget: GatewayTarget = { listEndpoints: () => [], shouldRun: () => true }
const toTarget = ({ targets: endpoints, shouldRun }: ServiceRoute): GatewayTarget => ({
  listEndpoints: () => endpoints,
  shouldRun: () => shouldRun,
})

const gateway = await openGateway({
  ...settings,
  folder: '',
  findTarget: (code) => (targets ? (targets.get(code) ?? null) : startingTarget),
  onListening: () => send({ kind: 'listening' }),
  onPortUnavailable: (_port, { message }, tries) => send({ kind: 'port-unavailable', tries, reason: message }),
})

process.on('message', (message: PortalMessage) => {
  if (message.kind === 'ping') return send({ kind: 'pong' })
  if (message.kind === 'close') return void gateway.close({ drainMs: settings.drainMs }).then(() => process.exit(0))
  targets = new Map(message.routes.map((route) => [route.code, toTarget(route)]))
  send({ kind: 'applied', version: message.version })
})
// The portal may have ended before this process could notice it.
if (!process.connected) process.exit(0)
send({ kind: 'ready' })
