/** Sets up the configured payment methods. The library of a gateway is loaded with the first payment that needs it. */
import type { Logger } from 'pino'
import { type PaymentType, paymentTypes } from '#domain/payments.ts'
import type { Config } from '#server/config/config.ts'
import type { PaymentDriver } from '#server/drivers/payment/payment-driver.ts'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import type { GatewaySettings, PaymentConfig, SandboxSettings } from '#server/config/payment-config.ts'
import type { PaymentMethods } from '#server/context/payment-methods.ts'

interface PaymentEnvironment {
  config: Pick<Config, 'dataDir' | 'publicUrl' | 'port' | 'host'>
  log: Logger
  clock: () => number
}

/** A simulation of all payment gateways, on this machine. */
export interface PaymentSandbox {
  gateways: GatewaySettings
  cardFrame: string
  close(): Promise<void>
}

export interface SandboxOptions extends SandboxSettings {
  dataDir: string
  /** Address of the portal on this machine. The sandbox calls no other host. */
  portalUrl: string
  log: Logger
  /** Epoch ms. */
  clock: () => number
}

/** Opens the sandbox. Throws StartProblem if its port cannot be used. */
export type OpenPaymentSandbox = (options: SandboxOptions) => Promise<PaymentSandbox>

/** Throws StartProblem if the sandbox cannot listen. `openSandbox` is the demo's function, or null without a demo. */
export async function openPayments(
  settings: PaymentConfig,
  environment: PaymentEnvironment,
  openSandbox: OpenPaymentSandbox | null,
): Promise<PaymentMethods> {
  const { config, clock } = environment
  const sandbox =
    settings.sandbox && openSandbox
      ? await openSandbox({ ...settings.sandbox, ...toSandboxOptions(environment) })
      : null
  const gateways: GatewaySettings = sandbox?.gateways ?? settings
  const alipayNotifyUrl = `${sandbox ? buildLocalUrl(config) : config.publicUrl}/public/payment/alipay`
  const driversByType = new Map<PaymentType, Promise<PaymentDriver | null>>()
  const openDriver = (type: PaymentType) =>
    driverOpeners[type]({ gateways, alipayNotifyUrl, clock, isSimulated: settings.simulate })
  return {
    async findDriver(type) {
      const driver = driversByType.get(type) ?? openDriver(type)
      driversByType.set(type, driver)
      return await driver
    },
    cardFrame: sandbox?.cardFrame ?? null,
    stripeKey: settings.stripe?.publishableKey ?? null,
    types: paymentTypes.filter((type) => (type === 'simulate' ? settings.simulate : gateways[type] !== null)),
    bankAccounts: settings.bankAccounts,
    maxPaymentsPerUser: settings.maxPaymentsPerUser,
    close: async () => await sandbox?.close(),
  }
}

const toSandboxOptions = ({ config, log, clock }: PaymentEnvironment) => ({
  dataDir: config.dataDir,
  portalUrl: buildLocalUrl(config),
  log,
  clock,
})

/** Returns the address at which the sandbox calls the portal. Both run on this machine, so the public host name is not needed. */
function buildLocalUrl({ host, port }: PaymentEnvironment['config']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

interface PaymentDriverOptions {
  gateways: GatewaySettings
  alipayNotifyUrl: string
  clock: () => number
  isSimulated: boolean
}

const driverOpeners: Record<PaymentType, (options: PaymentDriverOptions) => Promise<PaymentDriver | null>> = {
  async stripe({ gateways: { stripe }, clock }) {
    if (!stripe) return null
    const { createStripeDriver: stripePayment } = await import('#server/drivers/payment/stripe.ts')
    return stripePayment(stripe, clock)
  },
  async alipay({ gateways: { alipay }, alipayNotifyUrl, clock }) {
    if (!alipay) return null
    const { createAlipayDriver: alipayPayment } = await import('#server/drivers/payment/alipay.ts')
    return alipayPayment(alipay, alipayNotifyUrl, clock)
  },
  async globalAlipay({ gateways: { globalAlipay }, alipayNotifyUrl, clock }) {
    if (!globalAlipay) return null
    const { createGlobalAlipayDriver: globalAlipayPayment } = await import('#server/drivers/payment/global-alipay.ts')
    return globalAlipayPayment(globalAlipay, alipayNotifyUrl, clock)
  },
  simulate: async ({ isSimulated }) => (isSimulated ? simulatedPaymentDriver : null),
}
