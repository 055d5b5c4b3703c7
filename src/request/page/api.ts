/**
 * The page's end of the request pipeline: endpoint and input in, Result out. Nothing throws. Light on purpose: the sign-in page
 * and the first list carry it; what writes, and what touches the device's storage, comes when first needed.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { toWire } from '#contract/http-mapping.ts'
import { failed, type Input, toRequest, toResult } from '#request/transport/http.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { type Api, type CallOptions, isRead, type Result } from '#request/results.ts'

export function createApi(ports: PagePorts): Api {
  return {
    call: async (endpoint, asked, asking) =>
      (await call(ports, endpoint, asked as Input, asking ?? {})) as Result<never>,
  }
}

async function call(ports: PagePorts, endpoint: Endpoint, asked: Input, asking: CallOptions): Promise<Result<unknown>> {
  try {
    if (isRead(endpoint)) return await askToRead(ports, endpoint, asked, asking)
    return await (await import('#request/page/dispatch-write.ts')).askToWrite(ports, endpoint, asked, asking)
  } catch (error) {
    // What a line that is gone throws is one of these; all else is a mistake of ours.
    if (!(error instanceof TypeError || error instanceof DOMException)) ports.report(error)
    return failed('OFFLINE')
  }
}

async function askToRead(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  { signal }: CallOptions,
): Promise<Result<unknown>> {
  const request = toRequest(ports, toWire(endpoint, asked as never), {})
  const response = await ports.pipeline(signal ? new Request(request, { signal }) : request, endpoint)
  return response.type === 'error' ? failed('OFFLINE') : await toResult(response)
}
