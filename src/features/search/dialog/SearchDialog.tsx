import '#features/search/dialog/dialog.css'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SearchItem, SearchSource } from '#patterns/search-source.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { rememberFocus } from '#ui/overlay/focus-back.ts'
import { ExtentNote } from '#features/search/dialog/ExtentNote.tsx'
import { ResultList } from '#features/search/dialog/ResultList.tsx'
import { useListSearchItems } from '#features/search/dialog/useListSearchItems.ts'
import { useSearchKeys } from '#features/search/dialog/useSearchKeys.ts'
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
  // An id must not contain spaces.
  const toOptionId = (item: SearchItem) => `${id}-${item.key.replaceAll(/\s/g, '-')}`
  const activeId = activeItem && toOptionId(activeItem)
  useEffect(() => {
    // `scrollIntoView` is missing in the DOM of the tests.
    if (activeId && activeIndex > 0) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' })
    else dialog.current?.querySelector('.search-results')?.scrollTo?.(0, 0)
  }, [activeId, activeIndex])
  const moveTo = (index: number) => setMovedKey(items.at(items.length === 0 ? 0 : index % items.length)?.key ?? null)
  const isUpToDate = results.text === text || text.trim() === ''
  const { onFieldKeyDown, forgetEnter } = useSearchKeys({ items, activeIndex, isUpToDate, moveTo, onOpen })
  const backdropHandlers = useBackdropClick(dialog, onClose)
  const noneText = results.snapshot.hasFailed ? t('failed') : t('none', { text: toDisplayedText(text) })
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
      {...backdropHandlers}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
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
            onKeyDown={onFieldKeyDown}
            onChange={({ target }) => {
              forgetEnter()
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
                <p>{noneText}</p>
                {!results.snapshot.hasFailed && <p className="field-help">{t('noneHint')}</p>}
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

/** Closes on a click on the backdrop. A drag that starts in the field and ends there, as when selecting text, does not close. */
function useBackdropClick(dialog: React.RefObject<HTMLDialogElement | null>, onClose: () => void) {
  const isPressed = useRef(false)
  return {
    onPointerDown: ({ target }: React.PointerEvent) => void (isPressed.current = target === dialog.current),
    onClick({ target }: React.MouseEvent) {
      if (isPressed.current && target === dialog.current) onClose()
      isPressed.current = false
    },
  }
}
