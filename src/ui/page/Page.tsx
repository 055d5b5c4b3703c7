import { type ReactNode, createContext, useContext, useEffect, useRef } from 'react'
import { Link, useLocation, useNavigationType } from 'react-router-dom'
import { useTranslation } from 'react-i18next'

export interface Crumb {
  label: string
  to: string
}

/** What follows a page's own name in the window's title: the company, the product (C-19). Given by the shell. */
export const TitleTail = createContext<readonly string[]>([])

export interface PageProps {
  title: string
  /** Names the window where the title is no name: a greeting. */
  name?: string
  /** The pages above this one, outermost first; this page itself is not among them (C-18). */
  crumbs?: Crumb[]
  /** The one primary action; anything beside it is quiet. */
  action?: ReactNode
  intro?: ReactNode
  children?: ReactNode
  /** Narrow for forms and reading, wide for tables. */
  width?: 'narrow' | 'wide'
}

// Where the last page stood. The first of a visit must not take the focus from the address bar or a reader's own start,
// and a filter that changes the query is no arrival.
let lastPath: string | null = null

/** Frame of every page: names the window, takes the focus on arrival so that a reader announces it, scrolls up. */
export function Page({ title, name = title, crumbs = [], action, intro, children, width = 'wide' }: PageProps) {
  const { t } = useTranslation('ui')
  const heading = useRef<HTMLHeadingElement>(null)
  const tail = useContext(TitleTail)
  const { pathname } = useLocation()
  const arrivedBy = useNavigationType()
  const names = [name, ...crumbs.map(({ label }) => label).reverse(), ...tail].join(' · ')
  useEffect(() => {
    document.title = names
  }, [names])
  useEffect(() => {
    if (lastPath === pathname) return
    const first = lastPath === null
    lastPath = pathname
    if (first) return
    // On Back the browser restores the scroll position itself (C-23).
    if (arrivedBy !== 'POP') scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [pathname, arrivedBy])
  return (
    <div className={`page ${width}`}>
      <div className="page-head">
        <div className="page-names">
          {crumbs.length > 0 && (
            <nav aria-label={t('page.crumbs')} className="crumbs">
              <ol>
                {crumbs.map(({ label, to }) => (
                  <li key={to}>
                    <Link to={to}>{label}</Link>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {intro && <p className="page-intro">{intro}</p>}
        </div>
        {action && <div className="page-action">{action}</div>}
      </div>
      {children}
    </div>
  )
}
