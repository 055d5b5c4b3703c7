import type { ReactNode } from 'react'
import { policies } from '#app/shell/help/policies.ts'
import { useTranslation } from 'react-i18next'

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
