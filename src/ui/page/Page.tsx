import { type ReactNode, createContext, useContext, useEffect, useRef } from 'react'
import { Link, useLocation, useNavigationType } from 'react-router-dom'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { LoadProblemScope } from '#ui/page/LoadProblem.tsx'
import { getTitleLang } from '#ui/i18n/name-language.ts'

export interface PageCrumb {
  label: string
  to: string
}

/** What follows a page's own name in the window's title: the company, the product (C-19). Given by the shell. */
export const TitleSuffix = createContext<readonly string[]>([])

export interface PageProps {
  title: string
  /** Names the window where the title is no name: a greeting. */
  name?: string
  /** The pages above this one, outermost first; this page itself is not among them (C-18). */
  crumbs?: PageCrumb[]
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
  const heading = useRef<HTMLHeadingElement>(null)
  const titleSuffix = useContext(TitleSuffix)
  const { pathname } = useLocation()
  const navigationType = useNavigationType()
  const windowTitle = [name, ...crumbs.map(({ label }) => label).reverse(), ...titleSuffix].join(' · ')
  useEffect(() => {
    document.title = windowTitle
  }, [windowTitle])
  useEffect(() => {
    if (lastPath === pathname) return
    const isFirstPage = lastPath === null
    lastPath = pathname
    if (isFirstPage) return
    // On Back the browser restores the scroll position itself (C-23).
    if (navigationType !== 'POP') scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [pathname, navigationType])
  return (
    <div className={`page ${width}`}>
      <div className="page-head">
        <Crumbs parentCrumbs={crumbs} title={title} />
        <h1 tabIndex={-1} ref={heading} lang={getTitleLang(title)}>
          {title}
        </h1>
        {intro && <p className="page-intro">{intro}</p>}
        {action && <div className="page-action">{action}</div>}
      </div>
      <LoadProblemScope>{children}</LoadProblemScope>
    </div>
  )
}

/** The way to this page, which is its last part; before it the way back to the one above (M97: "return"). */
function Crumbs({ parentCrumbs, title }: { parentCrumbs: PageCrumb[]; title: string }) {
  const { t } = useTranslation('ui')
  const parent = parentCrumbs.at(-1)
  if (!parent) return null
  return (
    <nav aria-label={t('page.crumbs')} className="crumbs">
      <Link className="crumb-back" to={parent.to} aria-label={t('page.return')}>
        <Icon name="left" />
      </Link>
      <ol>
        {parentCrumbs.map(({ label, to }) => (
          <li key={to}>
            <Link to={to}>{label}</Link>
          </li>
        ))}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}
