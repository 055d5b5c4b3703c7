import { Children, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import '#ui/list/list.css'
import { Button } from '#ui/display/Button.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { readSingleKey, useSingleKeys } from '#ui/page/single-keys.ts'
import { useCompact } from '#ui/page/useCompact.ts'
import { useTranslation } from 'react-i18next'

export interface FilterChip {
  key: string
  label: string
  onClear: () => void
}

export interface FilterBarProps {
  search: { value: string; onChange: (value: string) => void; label: string }
  /** Select fields next to the search field. On a phone they are in a sheet, together with the sort order. */
  children?: ReactNode
  usedCount?: number
  sorting?: ListSorting
  chips?: FilterChip[] | undefined
  onClearAll: () => void
}

const FilterSheet = lazy(async () => ({ default: (await import('#ui/list/FilterSheet.tsx')).FilterSheet }))

/** Search and filters of a list. Each active filter can be removed separately (C-03, C-04). */
export function FilterBar({ search, children, usedCount = 0, sorting, chips = [], onClearAll }: FilterBarProps) {
  const { t } = useTranslation('ui')
  const isCompact = useCompact()
  const [isOpen, setIsOpen] = useState(false)
  // On a phone the search of a page with tabs is one button next to the title until it is used (compact.css). Then it keeps its own line, so
  // that nothing moves under the finger.
  const [isUsed, setIsUsed] = useState(search.value !== '')
  const isUnused = !isUsed && search.value === '' && chips.length === 0
  const close = () => setIsOpen(false)
  const hasFields = Children.toArray(children).length > 0 || sorting?.columns.some(({ sortable }) => sortable)
  return (
    <div className={`filters${isUnused ? ' unused' : ''}`} role="search" aria-label={search.label}>
      <div className="filter-row">
        <SearchBox {...search} onFocus={() => setIsUsed(true)} />
        {isCompact && hasFields ? (
          <>
            <Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
              {usedCount === 0 ? t('filter.open') : t('filter.openUsed', { number: usedCount })}
            </Button>
            <Suspense fallback={null}>
              {isOpen && (
                <FilterSheet sorting={sorting} onClear={onClearAll} onClose={close}>
                  {children}
                </FilterSheet>
              )}
            </Suspense>
          </>
        ) : (
          <>
            {children}
            {usedCount > 0 && (
              <Button kind="plain" onClick={onClearAll}>
                {t('filter.clear')}
              </Button>
            )}
          </>
        )}
      </div>
      {chips.length > 0 && (
        <div className="chips">
          <ul aria-label={t('filter.chosen')}>
            {chips.map(({ key, label, onClear }) => (
              <li key={key}>
                <button
                  type="button"
                  className="chip"
                  aria-label={t('filter.clearOne', { filter: label })}
                  onClick={onClear}
                >
                  {label}
                  <Icon name="close" size={16} />
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

const TYPING_PAUSE_MS = 300

function SearchBox({ value, onChange, label, onFocus }: FilterBarProps['search'] & { onFocus: () => void }) {
  const { t } = useTranslation('ui')
  const [typedText, setTypedText] = useState(value)
  // While Chinese is typed with an input method, the typed letters are not the search text yet (I-13).
  const isComposing = useRef(false)
  const [sentText, setSentText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const hasShortcuts = useSingleKeys()
  useSlashFocus(input)
  // If the address was changed from outside (Back, a filter removed), the typed text is replaced.
  if (value !== sentText) {
    setSentText(value)
    setTypedText(value)
  }
  const send = (next: string) => {
    setSentText(next)
    if (next !== value) onChange(next)
  }
  const sendLatest = useRef(send)
  useEffect(() => {
    sendLatest.current = send
  })
  useEffect(() => {
    if (typedText === sentText || isComposing.current) return
    const timer = setTimeout(() => sendLatest.current(typedText), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typedText, sentText])
  const clear = () => {
    setTypedText('')
    send('')
  }
  return (
    <div className="searchbox">
      <Icon name="search" />
      <input
        ref={input}
        className="input"
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label={label}
        aria-keyshortcuts={hasShortcuts ? '/' : undefined}
        placeholder={label}
        value={typedText}
        onFocus={onFocus}
        onChange={(event) => setTypedText(event.target.value)}
        onCompositionStart={() => {
          isComposing.current = true
        }}
        onCompositionEnd={(event) => {
          isComposing.current = false
          // Chromium sends its last change event during the composition, so the search with the final text is started here.
          const composedText = event.currentTarget.value
          setTypedText(composedText)
          setTimeout(() => sendLatest.current(composedText), TYPING_PAUSE_MS)
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') send(typedText)
          if (event.key === 'Escape' && typedText !== '') {
            event.preventDefault()
            event.stopPropagation()
            clear()
          }
        }}
      />
      {typedText === '' ? (
        hasShortcuts && <kbd aria-hidden="true">/</kbd>
      ) : (
        <button
          type="button"
          className="input-button"
          aria-label={t('filter.clearSearch')}
          onClick={() => (clear(), input.current?.focus())}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </div>
  )
}

/** `/` focuses the search field, unless the user is typing or a dialog is open. */
function useSlashFocus(input: React.RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (readSingleKey(event) !== '/') return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [input])
}
