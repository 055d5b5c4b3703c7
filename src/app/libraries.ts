/** Imports the libraries of the layout into a chunk of its own: they change rarely, and run before the portal's own code. */
import 'react-dom/client'
import 'react-router-dom'
import 'react-redux'
import '@reduxjs/toolkit'
import 'i18next'
import 'react-i18next'
