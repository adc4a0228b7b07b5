"""The first task after an idle gap, and what waiting for it burned."""
