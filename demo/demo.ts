import { bringUpServices } from '#demo/sample-data/bring-up-services.ts'
import { demoCompanies, demoPassword } from '#demo/sample-data/demo-data.ts'
import { loadDemoData } from '#demo/sample-data/load-demo-data.ts'
import { serveDevMail } from '#demo/mail/dev-mail.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import type { Config } from '#server/config/config.ts'

export const demo: DemoExtension = {
  loadData: loadDemoData,
  // Imported only when the sandbox is opened. A server with keys of real gateways does not open it.
  openPaymentSandbox: async (options) => (await import('#demo/payment-sandbox/sandbox-server.ts')).openSandbox(options),
  importSampleImage: async (docker) =>
    (await import('#demo/sample-image/import-sample-image.ts')).importSampleImage(docker),
  scheduledJobs: [
    {
      name: 'bring-up-demo-services',
      firstMs: 1000,
      everyMs: 24 * 3_600_000,
      runs: 'hosting',
      isNeeded: ({ hosting }) => hosting === 'local' || hosting === 'docker',
      run: bringUpServices,
    },
  ],
  servePages: serveDevMail,
  welcome: buildWelcomeLines,
}

function buildWelcomeLines({ smtpUrl, publicUrl }: Config): string[] {
  const accounts = demoCompanies.flatMap(({ code, users }) => users.slice(0, 2).map(({ email }) => ({ code, email })))
  return [
    '  Log in with one of these accounts:',
    '',
    ...accounts.map(({ code, email }) => `    company ${code.padEnd(7)}  e-mail ${email}`),
    ...(smtpUrl === null ? ['', `  Read the mails of the portal at ${publicUrl}/dev/mail`] : []),
    '',
    `  The password of all accounts is ${demoPassword}`,
    '',
  ]
}
