/** Which ways of paying there are, by the settings. A gateway's library is read in with the first payment that needs it. */
import type { Logger } from 'pino'
import { type PaymentType, paymentTypes } from '#domain/payments.ts'
import type { Config } from '#server/config/config.ts'
import type { PaymentDriver } from '#server/drivers/payment/driver.ts'
import { simulatedPayment } from '#server/drivers/payment/simulated.ts'
import type { Gateways, PaymentSettings, SandboxSettings } from '#server/config/payment-config.ts'
import type { Payments } from '#server/context/payment-methods.ts'

interface Place {
  config: Pick<Config, 'dataDir' | 'publicUrl' | 'port' | 'host'>
  log: Logger
  clock: () => number
}

/** Stands in for all gateways on this machine. */
export interface PaymentSandbox {
  /** What the drivers are given. */
  gateways: Gateways
  /** Address of the page with card fields, for a frame of the portal's payment panel. */
  cardFrame: string
  close(): Promise<void>
}

export interface SandboxPlace extends SandboxSettings {
  dataDir: string
  /** Where the portal is reached on this machine; nobody else is called. */
  portalUrl: string
  log: Logger
  /** Epoch ms. */
  clock: () => number
}

/** Throws StartProblem where it cannot listen. */
export type OpenPaymentSandbox = (place: SandboxPlace) => Promise<PaymentSandbox>

/** Throws StartProblem where the sandbox cannot listen. `openSandbox`: of the demo; null: there is none. */
export async function openPayments(
  settings: PaymentSettings,
  place: Place,
  openSandbox: OpenPaymentSandbox | null,
): Promise<Payments> {
  const { config, clock } = place
  const sandbox =
    settings.sandbox && openSandbox ? await openSandbox({ ...settings.sandbox, ...placeOfSandbox(place) }) : null
  const gateways: Gateways = sandbox?.gateways ?? settings
  const alipayCalls = `${sandbox ? localUrl(config) : config.publicUrl}/public/payment/alipay`
  const opened = new Map<PaymentType, Promise<PaymentDriver | null>>()
  const open = (type: PaymentType) => openers[type]({ gateways, alipayCalls, clock, isSimulated: settings.simulate })
  return {
    async driver(type) {
      const known = opened.get(type) ?? open(type)
      opened.set(type, known)
      return await known
    },
    cardFrame: sandbox?.cardFrame ?? null,
    stripeKey: settings.stripe?.publishableKey ?? null,
    types: paymentTypes.filter((type) => (type === 'simulate' ? settings.simulate : gateways[type] !== null)),
    perUser: settings.perUser,
    close: async () => await sandbox?.close(),
  }
}

const placeOfSandbox = ({ config, log, clock }: Place) => ({
  dataDir: config.dataDir,
  portalUrl: localUrl(config),
  log,
  clock,
})

/** The sandbox is on this machine and reaches us here, whatever name people use. */
function localUrl({ host, port }: Place['config']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

interface Opening {
  gateways: Gateways
  /** Where Alipay calls. */
  alipayCalls: string
  clock: () => number
  isSimulated: boolean
}

const openers: Record<PaymentType, (opening: Opening) => Promise<PaymentDriver | null>> = {
  async stripe({ gateways: { stripe }, clock }) {
    if (!stripe) return null
    const { stripePayment } = await import('#server/drivers/payment/stripe.ts')
    return stripePayment(stripe, clock)
  },
  async alipay({ gateways: { alipay }, alipayCalls, clock }) {
    if (!alipay) return null
    const { alipayPayment } = await import('#server/drivers/payment/alipay.ts')
    return alipayPayment(alipay, alipayCalls, clock)
  },
  async globalAlipay({ gateways: { globalAlipay }, alipayCalls, clock }) {
    if (!globalAlipay) return null
    const { globalAlipayPayment } = await import('#server/drivers/payment/global-alipay.ts')
    return globalAlipayPayment(globalAlipay, alipayCalls, clock)
  },
  simulate: async ({ isSimulated }) => (isSimulated ? simulatedPayment : null),
}
