import type { SessionRow } from '#contract/sessions.ts'
import { useTranslation } from 'react-i18next'

/** Returns a function that formats a name such as "Firefox on Windows", as far as browser and system are known. */
export function useDeviceNames() {
  const { t } = useTranslation('sessions')
  return ({ browser, system: operatingSystem }: Pick<SessionRow, 'browser' | 'system'>): string =>
    browser && operatingSystem
      ? t('on', { browser, system: operatingSystem })
      : (browser ?? operatingSystem ?? t('unknown'))
}
