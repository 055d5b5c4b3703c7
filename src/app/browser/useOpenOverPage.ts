import { useState } from 'react'
import { useLocation } from 'react-router-dom'

/**
 * State of an overlay (a menu, a dialog) that closes when the user navigates to another page. It is closed in the render of the new page:
 * an effect would run later and close an overlay that was opened there meanwhile.
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
