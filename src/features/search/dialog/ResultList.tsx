import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { SearchItem } from '#patterns/search-source.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import type { DisplayedGroup } from '#features/search/dialog/group-items.ts'
import { markMatches } from '#features/search/matching/marks.ts'
import { parseSearchQuery, type SearchQuery } from '#features/search/matching/query.ts'

interface ResultListProps {
  id: string
  groups: readonly DisplayedGroup[]
  text: string
  activeKey: string | null
  toOptionId: (item: SearchItem) => string
  onOpen: (item: SearchItem, isNewTab: boolean) => void
}

export function ResultList({ id, groups, text, activeKey, toOptionId, onOpen }: ResultListProps) {
  const { t } = useTranslation('search')
  const query = parseSearchQuery(text)
  return (
    <div role="listbox" id={id} className="search-results" aria-label={t('title')} hidden={groups.length === 0}>
      {groups.map(({ name, items }) => (
        <div key={name} role="group" aria-labelledby={`${id}-${name}`} className="search-group">
          <p id={`${id}-${name}`} className="search-group-name" role="presentation">
            {t(`group.${name}`)}
          </p>
          {items.map((item) => (
            <ResultOption
              key={item.key}
              {...{ item, query, onOpen }}
              id={toOptionId(item)}
              isActive={item.key === activeKey}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface ResultOptionProps {
  item: SearchItem
  query: SearchQuery
  id: string
  isActive: boolean
  onOpen: ResultListProps['onOpen']
}

function ResultOption({ item, query, id, isActive, onOpen }: ResultOptionProps) {
  const handleClick = (event: MouseEvent) => onOpen(item, event.ctrlKey || event.metaKey || event.button === 1)
  return (
    // biome-ignore lint: the keys are the field's, which has the focus
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="search-option"
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={handleClick}
      onAuxClick={(event) => event.button === 1 && handleClick(event)}
    >
      <Icon name={item.icon} />
      <span className="search-label" lang={getNameLang(item.label)}>
        <MarkedText text={item.label} query={query} />
      </span>{' '}
      <span className="search-detail" lang={getNameLang(item.detail)}>
        <MarkedText text={item.detail} query={query} />
      </span>
    </div>
  )
}

function MarkedText({ text, query }: { text: string; query: SearchQuery }) {
  if (query.terms.length === 0) return text
  return markMatches(text, query).map((part, index) =>
    // biome-ignore lint: the parts of a text have no other identity than their position
    part.isMarked ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
  )
}
