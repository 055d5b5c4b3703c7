import { useId } from 'react'
import { NavLink } from 'react-router-dom'
import type { Caller } from '#domain/access.ts'
import { routes } from '#app/routes/paths.ts'
import { navigationGroups, getNavigationItems } from '#app/shell/navigation-items.ts'
import { countWaiting } from '#local/outbox/read-entries.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Links to the pages that this user may open. On a narrow rail each name is below its icon. */
export function Navigation({ caller, onNavigate }: { caller: Caller; onNavigate?: () => void }) {
  const { t } = useTranslation('shell')
  const id = useId()
  return (
    <nav className="nav" aria-label={t('navigation')}>
      {navigationGroups.map((group) => {
        const items = getNavigationItems(group, caller)
        if (items.length === 0) return null
        return (
          <div className="nav-group" key={group}>
            {group === 'provider' && (
              <>
                <p className="nav-heading" id={`${id}-provider`}>
                  {t('provider.heading')}
                </p>
                <p className="nav-only" aria-hidden="true">
                  {t('provider.only')}
                </p>
              </>
            )}
            <ul aria-labelledby={group === 'provider' ? `${id}-provider` : undefined}>
              {items.map(({ routeName, icon }) => (
                <li key={routeName} className={group === 'provider' ? 'hinted' : undefined}>
                  <NavLink
                    to={routes[routeName].path}
                    className="nav-item"
                    aria-describedby={group === 'provider' ? `${id}-${routeName}` : undefined}
                    {...(onNavigate ? { onClick: onNavigate } : {})}
                  >
                    <Icon name={icon} />
                    <span className="nav-words">{t(`menu.${routeName}`)}</span>
                  </NavLink>
                  {group === 'provider' && (
                    <>
                      <span className="hint nav-hint" aria-hidden="true">
                        {t('provider.only')}
                      </span>
                      <span className="sr-only" id={`${id}-${routeName}`}>
                        {t('provider.only')}
                      </span>
                    </>
                  )}
                </li>
              ))}
              {group === 'own' && <WaitingChanges {...(onNavigate ? { onNavigate } : {})} />}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

function WaitingChanges({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation('shell')
  const count = useLiveQuery(() => countWaiting(), []) ?? 0
  if (count === 0) return null
  return (
    <li>
      <NavLink to={routes.outbox.path} className="nav-item" {...(onNavigate ? { onClick: onNavigate } : {})}>
        <Icon name="outbox" />
        <span className="nav-words">{t('menu.outbox')}</span>
        <span className="nav-count">{count}</span>
      </NavLink>
    </li>
  )
}
