import type { ReactNode } from 'react'
import '#features/accounts/accounts.css'
import { Mark } from '#ui/Mark.tsx'
import { Page } from '#ui/Page.tsx'

/** The frame of every page outside the app: one thing to do, in the middle, with the product's sign above it. */
export function AccountCard({
  title,
  intro,
  children,
  below,
}: {
  title: string
  intro?: ReactNode
  children: ReactNode
  below?: ReactNode
}) {
  return (
    <div className="account">
      <div className="account-column">
        <Mark size={44} />
        <div className="account-card">
          <Page title={title} intro={intro} width="narrow">
            {children}
          </Page>
        </div>
        {below && <p className="account-below">{below}</p>}
      </div>
    </div>
  )
}
