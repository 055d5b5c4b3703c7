import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

// Not in TypeScript's libraries, and in few browsers.
type UserAgent = Navigator & { userAgentData?: { platform?: string } }

/** An iPad says that it is a Mac, but has a screen that is touched. */
function isMac(agent: UserAgent = navigator): boolean {
  const platform = agent.userAgentData?.platform || agent.platform
  return /^mac/i.test(platform) && agent.maxTouchPoints < 2
}

/** Where packages are made or taken in, on a Mac alone: what it adds to archives by itself has no place in them (D88). Words: `staff`. */
export function MacBanner() {
  const { t } = useTranslation('staff')
  if (!isMac()) return null
  return (
    <div className="problem note" role="note">
      <Icon name="info" />
      <div>
        <p>{t('mac')}</p>
      </div>
    </div>
  )
}
