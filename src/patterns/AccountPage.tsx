import '#ui/icons/app-icons.ts'
import '#patterns/account-page.css'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { useTranslation } from 'react-i18next'
import { Icon } from '#ui/icons/Icon.tsx'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { Page } from '#ui/page/Page.tsx'

const accountTabs = ['profile', 'password', 'security', 'sessions'] as const
export type AccountTab = (typeof accountTabs)[number]

/** Portal 2 names the addresses of the profile and of the password. */
const tabPaths = {
  profile: '/app/profile/user',
  password: '/app/profile/password',
  security: '/app/profile/security',
  sessions: '/app/profile/sessions',
} as const satisfies Record<AccountTab, string>

interface AccountPageProps {
  tab: AccountTab
  intro?: string
  children: ReactNode
}

/** Frame of "My account" (decision 114). Each tab is a page with its own address, because three features have them. */
export function AccountPage({ tab, intro, children }: AccountPageProps) {
  const { t } = useTranslation('profile')
  const title = t('title')
  const part = tab === 'profile' ? undefined : t(`tab.${tab}`)
  return (
    <Page title={title} part={part} name={part && `${part} · ${title}`} width="narrow">
      <div className="account-tabs">
        <TabLinks
          label={title}
          tabs={accountTabs.map((tabName) => ({ name: tabName, label: t(`tab.${tabName}`), path: tabPaths[tabName] }))}
          currentName={tab}
        />
        <Link className="tab account-notifications" to="/app/profile/notifications">
          <Icon name="activity" />
          <span>{t('notifications')}</span>
        </Link>
      </div>
      {intro && <p className="page-intro page-lead">{intro}</p>}
      {children}
    </Page>
  )
}
