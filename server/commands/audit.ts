/** What a write is called in the trail when it failed before it could say so itself (D86). */
import type { Endpoint } from '#contract/endpoint.ts'
import type { AuditEntry } from '#server/context.ts'

const operations = [
  'create',
  'update',
  'delete',
  'enable',
  'disable',
  'activate',
  'pay',
  'print',
  'export',
  'reset',
  'reboot',
] as const

const byMethod: Record<string, string> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

const byKind: Record<string, AuditEntry['code']> = {
  user: 'user',
  asset: 'user',
  company: 'company',
  order: 'order',
  contract: 'order',
  service: 'service',
  price: 'price',
  module: 'module',
  backup: 'backup',
  traffic: 'backup',
}

export function noteOf(endpoint: Endpoint): AuditEntry {
  const words = endpoint.name.toLowerCase()
  return {
    code: byKind[endpoint.queue?.kind ?? ''] ?? 'system',
    operation: operations.find((word) => words.includes(word)) ?? byMethod[endpoint.method] ?? 'update',
    info: {},
  }
}
