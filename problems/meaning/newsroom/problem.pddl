(define (problem newsroom-1)
  (:domain newsroom)
  (:objects
    flood_story election_story short_interview long_interview - story
    senior_reporter junior_reporter - reporter
    day_editor night_editor - editor
    front_page back_page page_two page_three - page
    colour_photo old_photo - photo)
  (:init
    (assigned-to flood_story senior_reporter)
    (assigned-to short_interview junior_reporter)
    (drafted flood_story)
    (approved-by flood_story day_editor)
    (placed-on flood_story page_two)
    (illustrates old_photo flood_story))
  (:goal (and (drafted election_story))))
