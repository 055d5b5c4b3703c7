import type { ReactNode } from 'react'
import '#features/accounts/style.css'
import { Page } from '#ui/page/Page.tsx'

export function AccountCard({
  title,
  intro,
  children,
  footer,
}: {
  title: string
  intro?: ReactNode
  children: ReactNode
  footer?: ReactNode
}) {
  return (
    <div className="account">
      <div className="account-column">
        <div className="account-card">
          <Page title={title} intro={intro} width="narrow">
            {children}
          </Page>
        </div>
        {footer && <p className="account-below">{footer}</p>}
      </div>
    </div>
  )
}
