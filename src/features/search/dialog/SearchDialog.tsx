import '#features/search/dialog/dialog.css'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SearchItem, SearchSource } from '#patterns/search-source.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { rememberFocus } from '#ui/overlay/focus-back.ts'
import { ExtentNote } from '#features/search/dialog/ExtentNote.tsx'
import { ResultList } from '#features/search/dialog/ResultList.tsx'
import { useListSearchItems } from '#features/search/dialog/useListSearchItems.ts'
import { useSearchResults } from '#features/search/dialog/useSearchResults.ts'
import type { IndexSession } from '#features/search/index/index-session.ts'
import { maxQueryLength, toDisplayedText } from '#features/search/matching/query.ts'

interface SearchDialogProps {
  session: IndexSession
  sources: readonly SearchSource[]
  commands: readonly SearchItem[]
  recentKeys: readonly string[]
  onOpen: (item: SearchItem, isNewTab: boolean) => void
  onClose: () => void
}

/**
 * Finds items and commands while the user types. A combobox with a list: the focus stays in the field, and the arrow keys move the active
 * item. The browser's modal dialog keeps the focus inside and restores it.
 */
export function SearchDialog({ session, sources, commands, recentKeys, onOpen, onClose }: SearchDialogProps) {
  const { t } = useTranslation('search')
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  /** Key of the item that the user has moved to. Null means the first one. */
  const [movedKey, setMovedKey] = useState<string | null>(null)
  const results = useSearchResults(session, commands, { text, recentKeys })
  const groups = useListSearchItems(results, sources)
  const items = groups.flatMap((group) => group.items)
  const movedIndex = items.findIndex(({ key }) => key === movedKey)
  const activeIndex = Math.max(movedIndex, 0)
  const activeItem = items[activeIndex]
  useModal(dialog)
  const toOptionId = (item: SearchItem) => `${id}-${item.key}`
  const activeId = activeItem && toOptionId(activeItem)
  useEffect(() => {
    // `scrollIntoView` is missing in the DOM of the tests.
    if (activeId && activeIndex > 0) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' })
    else dialog.current?.querySelector('.search-results')?.scrollTo?.(0, 0)
  }, [activeId, activeIndex])
  const moveTo = (index: number) => setMovedKey(items.at(items.length === 0 ? 0 : index % items.length)?.key ?? null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const index = findTarget(event, activeIndex, items.length)
    if (index !== null) moveTo(index)
    else if (event.key === 'Enter') {
      if (activeItem) onOpen(activeItem, event.ctrlKey || event.metaKey)
    } else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    // A dialog or page below must not react to the same key.
    event.stopPropagation()
  }
  const isUpToDate = results.text === text || text.trim() === ''
  return (
    // biome-ignore lint: a click next to the dialog closes it; the keyboard has Escape and the button
    <dialog
      ref={dialog}
      className="search"
      aria-label={t('title')}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={onKeyDown}
    >
      <div className="search-inside">
        <div className="search-head">
          <Icon name="search" />
          <input
            className="search-field"
            type="text"
            role="combobox"
            aria-label={t('label')}
            aria-autocomplete="list"
            aria-expanded={items.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={activeId}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="go"
            maxLength={maxQueryLength}
            placeholder={t('placeholder')}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              setMovedKey(null)
            }}
          />
          <button type="button" className="button bare search-close" aria-label={t('close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <ResultList
          id={`${id}-list`}
          groups={groups}
          text={results.text}
          activeKey={activeItem?.key ?? null}
          toOptionId={toOptionId}
          onOpen={onOpen}
        />
        {items.length === 0 && (
          <div className="search-none">
            {isUpToDate && !results.snapshot.isReading && (
              <>
                <p>{t('none', { text: toDisplayedText(text) })}</p>
                <p className="field-help">{t('noneHint')}</p>
              </>
            )}
          </div>
        )}
        <p className="sr-only" role="status">
          {isUpToDate && text.trim() !== '' ? t('results', { count: items.length }) : ''}
        </p>
        <ExtentNote snapshot={results.snapshot} />
      </div>
    </dialog>
  )
}

/** Opens the dialog as a modal one. When it closes, the element that had the focus before gets it back. */
function useModal(dialog: React.RefObject<HTMLDialogElement | null>) {
  useLayoutEffect(() => {
    const openDialog = dialog.current
    const restoreFocus = rememberFocus(document.activeElement)
    openDialog?.showModal()
    openDialog?.querySelector('input')?.focus()
    return () => {
      openDialog?.close()
      restoreFocus()
    }
  }, [dialog])
}

/** Returns the index that a key moves to, or null if it does not move. With Shift the keys select text in the field. */
function findTarget({ key, shiftKey }: KeyboardEvent, index: number, count: number): number | null {
  if (shiftKey) return null
  if (key === 'ArrowDown') return index + 1
  if (key === 'ArrowUp') return index - 1 + count
  if (key === 'Home') return 0
  return key === 'End' ? Math.max(count - 1, 0) : null
}
