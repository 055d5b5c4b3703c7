/** The libraries of the frame. A file of their own on every device: they change seldom, and run before our own code does. */
import 'react-dom/client'
import 'react-router-dom'
import 'react-redux'
import '@reduxjs/toolkit'
import 'i18next'
import 'react-i18next'
