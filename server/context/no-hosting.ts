/** Hosting driver for `HOSTING=off`, and for tools and tests that run no services. */
import { HostingError, type HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'

const failUnreachable = async (): Promise<never> => {
  throw new HostingError('unreachable', 'This portal does not run hosted services: HOSTING is off.')
}

export const noHosting: HostingDriver = {
  name: 'off',
  prepare: failUnreachable,
  install: failUnreachable,
  configure: failUnreachable,
  start: failUnreachable,
  switchOver: failUnreachable,
  rollBack: failUnreachable,
  stop: failUnreachable,
  setPassword: failUnreachable,
  remove: failUnreachable,
  erase: failUnreachable,
  look: failUnreachable,
  lookAll: failUnreachable,
  replaceData: failUnreachable,
  // eslint-disable-next-line require-yield
  async *readData() {
    await failUnreachable()
  },
  // eslint-disable-next-line require-yield
  async *readLog() {
    await failUnreachable()
  },
  upkeep: null,
  watch: () => () => undefined,
  close: async () => undefined,
}
