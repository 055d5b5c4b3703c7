/** Controls the sandbox gateway of a portal that is a separate process, like the people and payers at a real gateway. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Portal } from '#tests/support/browser/browser.ts'

interface ControlRequest {
  /** True holds all notices, false sends them. */
  hold?: boolean
  /** The amount is in hundredths. */
  refund?: { reference: string; amount: number }
  dispute?: string
  inquiry?: string
  endDispute?: { id: string; status: 'won' | 'lost' | 'warning_closed' }
}

interface GatewayRecords {
  intents: { id: string; status: string; amount: number }[]
  refunds: { of: string; amount: number }[]
  disputes: { id: string; of: string; status: string }[]
}

/** `portal` must be the test's own: the shared portal's sandbox cannot be controlled. */
export function openSandboxGateway({ dataDir }: Pick<Portal, 'dataDir'>) {
  const readSandboxFile = (name: string) => readFileSync(join(dataDir, 'payment-sandbox', name), 'utf8')
  async function call(request?: ControlRequest): Promise<Response> {
    const { stripe } = JSON.parse(readSandboxFile('keys.json')) as { stripe: { secretKey: string } }
    const response = await fetch(`http://127.0.0.1:${readSandboxFile('port').trim()}/control`, {
      method: request ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${stripe.secretKey}` },
      ...(request && { body: JSON.stringify(request) }),
    })
    if (!response.ok) throw new Error(`the sandbox refused ${JSON.stringify(request)}: ${response.status}`)
    return response
  }
  return {
    control: async (request: ControlRequest): Promise<void> => void (await call(request)),
    read: async () => (await (await call()).json()) as GatewayRecords,
  }
}
