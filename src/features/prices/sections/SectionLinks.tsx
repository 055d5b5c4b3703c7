import '#ui/links/tabs.css'
import { memo, type MouseEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useCutEnds } from '#ui/links/use-cut-ends.ts'
import { editorSections, type PriceListChanges } from '#features/prices/changes/list-changes.ts'
import { getHeadingId, rehearsalHeadingId } from '#features/prices/sections/heading-ids.ts'
import { useCurrentSection } from '#features/prices/sections/useCurrentSection.ts'

const headingIds = [...editorSections.map(getHeadingId), rehearsalHeadingId]

/**
 * Links to the sections of the page, with the number of changes in each. The link of the section in view is marked. From 1024 px on they are
 * a column next to the form, on narrower screens a row that scrolls sideways.
 */
export const SectionLinks = memo(function SectionLinks({ counts }: Pick<PriceListChanges, 'counts'>) {
  const { t } = useTranslation('prices')
  const currentId = useCurrentSection(headingIds)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const [element, link] = [list.current, list.current?.querySelector<HTMLElement>('[aria-current]')]
    // Scrolls only the row of links, never the page.
    if (element && link && element.scrollWidth > element.clientWidth)
      element.scrollLeft = link.offsetLeft - (element.clientWidth - link.offsetWidth) / 2
  }, [currentId])
  useCutEnds(list)
  const links = [
    ...editorSections.map((name) => ({ id: getHeadingId(name), label: t(`nav.${name}`), count: counts[name] })),
    { id: rehearsalHeadingId, label: t('rehearsal.title'), count: 0 },
  ]
  return (
    <nav className="tabs price-nav" aria-label={t('nav.label')}>
      <ul className="tabs-row" ref={list}>
        {links.map(({ id, label, count }) => (
          <li key={id}>
            <a
              className="tab"
              href={`#${id}`}
              aria-current={id === currentId ? 'location' : undefined}
              onClick={goToSection}
            >
              <span>{label}</span>
              {count > 0 && (
                <span className="price-nav-count">
                  <span aria-hidden="true">{count}</span>
                  <span className="sr-only">{t('change.counted', { count })}</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
})

/** Scrolls without changing the address, because that would be a step in the history, and a step asks whether to discard the changes. */
function goToSection(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const heading = document.getElementById(event.currentTarget.hash.slice(1))
  heading?.scrollIntoView()
  heading?.focus({ preventScroll: true })
}
