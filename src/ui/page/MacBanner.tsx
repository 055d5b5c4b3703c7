import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

// `userAgentData` is missing in TypeScript's libraries and in most browsers.
type UserAgent = Navigator & { userAgentData?: { platform?: string } }

/** Returns true on a Mac. iPads report being a Mac too, but have a touch screen. */
function isMac(agent: UserAgent = navigator): boolean {
  const platform = agent.userAgentData?.platform || agent.platform
  return /^mac/i.test(platform) && agent.maxTouchPoints < 2
}

/** A note for Macs only, because macOS adds files to archives that are not allowed in packages (D88). */
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
