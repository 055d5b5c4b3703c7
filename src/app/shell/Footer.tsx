import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** Pages of the public site, outside the portal: plain links (portal 2). */
export const policies = [
  { name: 'use', href: '/acceptable-use.html' },
  { name: 'api', href: '/api-policy.html' },
  { name: 'terms', href: '/terms.html' },
  { name: 'privacy', href: '/privacy.html' },
] as const

/** `children`: what stands beside the policies. */
export function Footer({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('shell')
  return (
    <footer className="footer">
      <ul>
        {policies.map(({ name, href }) => (
          <li key={name}>
            <a href={href}>{t(`policy.${name}`)}</a>
          </li>
        ))}
      </ul>
      {children}
    </footer>
  )
}
