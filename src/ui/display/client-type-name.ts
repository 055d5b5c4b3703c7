import type { ClientType } from '#domain/access.ts'

/** How the client types (portal 1) are written, in both languages. */
export const clientTypeNames: Record<ClientType, string> = { saas: 'SaaS', mma: 'mma' }
