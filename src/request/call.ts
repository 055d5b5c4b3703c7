/** The page's end of the corridor: endpoint and input in, Result out. Nothing throws. */
import type { Ports } from '#request/ports.ts'
import type { Api } from '#request/result.ts'

export declare function createApi(ports: Ports): Api
