/** Where no hosted services are run from here (`HOSTING=off`), and for tools and tests that run none. */
import { HostingError, type HostingDriver } from '#server/drivers/hosting/driver.ts'

const nobody = async (): Promise<never> => {
  throw new HostingError('unreachable', 'This portal runs no hosted services: HOSTING is off.')
}

export const noHosting: HostingDriver = {
  name: 'off',
  prepare: nobody,
  install: nobody,
  configure: nobody,
  start: nobody,
  stop: nobody,
  setPassword: nobody,
  remove: nobody,
  erase: nobody,
  look: nobody,
  lookAll: nobody,
  replaceData: nobody,
  // eslint-disable-next-line require-yield
  async *readData() {
    await nobody()
  },
  // eslint-disable-next-line require-yield
  async *readLog() {
    await nobody()
  },
  watch: () => () => undefined,
  close: async () => undefined,
}
