import { useState } from 'react'
import { useLocation } from 'react-router-dom'

/**
 * Whether something lies open over the page, which the next page closes, by Back or a key: there it would be in the way. It is
 * closed in the drawing that brings that page. An effect would come after it, and close what was opened there since.
 */
export function useOpenOverPage(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const { pathname } = useLocation()
  const [page, setPage] = useState(pathname)
  const [isOpen, setOpen] = useState(false)
  if (page !== pathname) {
    setPage(pathname)
    setOpen(false)
  }
  return [isOpen, setOpen]
}
