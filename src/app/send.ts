/** The page's corridor: `api` for thunks (the store's extra argument), `ports` for signIn and signOut. */
import { createApi } from '#request/call.ts'
import type { Ports } from '#request/ports.ts'

export declare const ports: Ports
export const api = createApi(ports)
