import { type ReactNode, createContext, useContext, useEffect, useRef } from 'react'
import { Link, useLocation, useNavigationType } from 'react-router-dom'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { useMedia } from '#ui/display/useMedia.ts'
import { LoadProblemScope } from '#ui/page/LoadProblem.tsx'
import { getTitleLang } from '#ui/i18n/name-language.ts'
import { PageTools, type PageTool } from '#ui/page/PageTools.tsx'
import { useCompact } from '#ui/page/useCompact.ts'

export interface PageCrumb {
  label: string
  to: string
}

/** Parts of the window title after the page name: company and product (C-19). The shell sets them. */
export const TitleSuffix = createContext<readonly string[]>([])

export interface PageProps {
  title: string
  /** Name in the window title, where it differs from the heading. */
  name?: string | undefined
  /** The page's part of several pages with the same heading. Only screen readers read it, because the current tab shows it. */
  part?: string | undefined
  /** Parent pages, outermost first, without this page (C-18). */
  crumbs?: PageCrumb[]
  /** The only primary action. Other actions must be quiet. */
  action?: ReactNode
  /** Secondary actions. On a phone they are in one menu next to the title, and in a narrow window if there are several. */
  tools?: readonly PageTool[]
  /** A text is a lead, which phones leave out. An element, such as a status, is displayed at every size. */
  intro?: ReactNode
  children?: ReactNode
  width?: 'narrow' | 'wide'
}

// Path of the previous page. The heading gets the focus when the path changes. It does not on the first page of a visit, where the address
// bar may have the focus and a screen reader starts at the top. A changed query is not a new page.
let lastPath: string | null = null
/** Path of the page whose heading got the focus. */
let focusedPath: string | null = null

/**
 * Frame of every page. Sets the window title. On a new page it moves the focus to the heading, for screen readers, and scrolls up.
 */
export function Page({
  title,
  name = title,
  part,
  crumbs = [],
  intro,
  children,
  width = 'wide',
  ...actions
}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const titleSuffix = useContext(TitleSuffix)
  const { pathname } = useLocation()
  const navigationType = useNavigationType()
  const windowTitle = [name, ...crumbs.map(({ label }) => label).reverse(), ...titleSuffix].join(' · ')
  useEffect(() => {
    document.title = windowTitle
  }, [windowTitle])
  useEffect(() => {
    // The frame of a page that was loading was replaced together with its heading, which had the focus.
    if (lastPath === pathname && focusedPath === pathname && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
    // Runs only for a new heading: after a dialog was closed, the focus returns to its button.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  useEffect(() => {
    if (lastPath === pathname) return
    const isFirstPage = lastPath === null
    lastPath = pathname
    focusedPath = isFirstPage ? null : pathname
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
          {part && <span className="sr-only"> · {part}</span>}
        </h1>
        {intro && <p className={`page-intro${typeof intro === 'string' ? ' page-lead' : ''}`}>{intro}</p>}
        <PageActions {...actions} />
      </div>
      <LoadProblemScope>{children}</LoadProblemScope>
    </div>
  )
}

function PageActions({ action, tools = [] }: Pick<PageProps, 'action' | 'tools'>) {
  const isCompact = useCompact()
  const isNarrow = useMedia('(width < 60rem)')
  const hasMenu = isCompact && tools.length > 0
  // In a narrow window three buttons or more would wrap below the title.
  const isMenu = isNarrow && tools.length + (action ? 1 : 0) > 2
  return (
    <>
      {hasMenu && (
        <div className="page-tools">
          <PageTools tools={tools} isMenu />
        </div>
      )}
      {(action || (tools.length > 0 && !hasMenu)) && (
        <div className="page-action">
          {!hasMenu && !isMenu && <PageTools tools={tools} isMenu={false} />}
          {action}
          {!hasMenu && isMenu && <PageTools tools={tools} isMenu />}
        </div>
      )}
    </>
  )
}

/** Breadcrumbs ending with this page, after a link back to the parent page (M97: "return"). */
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
