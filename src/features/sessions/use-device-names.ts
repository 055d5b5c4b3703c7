import type { SessionRow } from '#contract/sessions.ts'
import { useTranslation } from 'react-i18next'

/** "Firefox on Windows", as far as the browser says either. */
export function useDeviceNames() {
  const { t } = useTranslation('sessions')
  return ({ browser, system: operatingSystem }: Pick<SessionRow, 'browser' | 'system'>): string =>
    browser && operatingSystem
      ? t('on', { browser, system: operatingSystem })
      : (browser ?? operatingSystem ?? t('unknown'))
}
