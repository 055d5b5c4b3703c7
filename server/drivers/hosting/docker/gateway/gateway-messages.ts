/** Defines the messages between the portal and the process of its gateway. */
import type { GatewayLimits } from '#server/drivers/hosting/gateway/gateway.ts'

export interface ServiceRoute {
  code: string
  shouldRun: boolean
  /** Healthy tasks. */
  targets: readonly { host: string; port: number }[]
}

/** Settings of the process, which are its only argument. They contain no secrets. */
export interface GatewayProcessSettings {
  domain: string
  host: string
  port: number
  trustProxy: number
  tls: boolean
  limits: Partial<GatewayLimits>
  /** Time in ms for which running requests may continue after the gateway was closed. */
  drainMs: number
  /** Time in ms after which a port in use is tried again. */
  retryMs?: number
}

export type PortalMessage =
  /** Replaces all routes. The process confirms the version before it gets the next one. */
  { kind: 'routes'; version: number; routes: readonly ServiceRoute[] } | { kind: 'ping' } | { kind: 'close' }

export type GatewayMessage =
  /** The process receives messages now. */
  | { kind: 'ready' }
  | { kind: 'listening' }
  /** `tries` counts from 1. */
  | { kind: 'port-unavailable'; tries: number; reason: string }
  | { kind: 'applied'; version: number }
  | { kind: 'pong' }
