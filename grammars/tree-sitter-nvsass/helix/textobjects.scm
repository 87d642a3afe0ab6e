(function) @function.around
(section) @function.around
(block) @class.around
(comment) @comment.inside
(comment)+ @comment.around
(operands (_) @parameter.inside)
