import type { ReactNode } from 'react'
import { policies } from '#app/shell/help/policies.ts'
import { useMedia } from '#ui/display/useMedia.ts'
import { useTranslation } from 'react-i18next'

export function Footer({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('shell')
  const isPhone = useMedia('(width < 30rem)')
  return (
    <footer className="footer">
      <ul>
        {policies.map(({ name, href }) => (
          <li key={name}>
            <a href={href} aria-label={isPhone ? t(`policy.${name}`) : undefined}>
              {t(isPhone ? `policyShort.${name}` : `policy.${name}`)}
            </a>
          </li>
        ))}
      </ul>
      {children}
    </footer>
  )
}
